"""Knowledge kept clean: what is alike, made one, alone, or worth a look."""
