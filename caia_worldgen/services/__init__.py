"""The synthetic APIs on loopback, in the shapes of the real ones: one vendor per file, all from one told story."""
