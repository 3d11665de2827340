"""The command line as its users see it: arguments in; text, JSON and exit codes out."""
