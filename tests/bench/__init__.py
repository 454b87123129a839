"""`make bench`: what our own functions take, as ratios to floors measured in the same run."""
