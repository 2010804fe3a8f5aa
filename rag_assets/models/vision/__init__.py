"""Text from images of pages: the protocol for optical character recognition and vision models, and its adapters."""
