"""Speed, measured beside a floor or a peer in the same run; every figure is a ratio as well."""
