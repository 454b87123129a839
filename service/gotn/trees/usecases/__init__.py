"""What can be done with task trees, one transaction each."""
