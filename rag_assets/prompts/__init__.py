"""Prompts for language models: German text files, and the registry that names them by hash.

A prompt is data with a version; what fills it and what is done with the reply lives with the model's user.
"""
