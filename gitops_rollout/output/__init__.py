"""What stands in the output branch: the database, read along its first-parent line."""
