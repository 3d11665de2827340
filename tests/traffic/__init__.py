"""Terms, pools and the one route."""
