// From this step on, names are compared with all their characters. The step stores no data: its time shows which
// names were stored before it.
