"""Reading files of many formats into blocks. One format per module; the registry chooses by content."""
