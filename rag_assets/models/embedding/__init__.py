"""From text to unit vectors: the protocol, the embedded default, a test stand-in, servers, and the registry."""
