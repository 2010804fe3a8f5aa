"""Pure text work: cleaning, language, sentences, sections, chunking, tokens, lexical analysis. No I/O, no clock, no chance."""
