"""What people write and what we promise, as frozen types; nothing here reads or decides."""
