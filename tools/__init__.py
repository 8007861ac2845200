"""What makes facts and is not shipped."""
