// From here on names are compared with all their signs. Nothing is stored by it: the time of this step tells what was
// remembered before.
