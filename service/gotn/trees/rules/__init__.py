"""What holds for task trees, without a database."""
