"""What every suite of ours has, whatever it asks: where its tasks stand, how questions are written, what lies find."""
