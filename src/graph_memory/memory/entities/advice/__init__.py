"""What a language model makes of a text that is to be remembered, and of doubts: asked, and checked like a call."""
