"""Pages and programming interfaces over HTTP, the only package that imports a web framework.

Here live routes, their input checks, security headers, tokens and templates. What a request asks for is done by the
packages below. Documents and answers are untrusted: they reach a page as text, never as markup.
"""
