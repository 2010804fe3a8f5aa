"""How the PDF, DOCX and PPTX files of the example campus are made from their sources."""
