// Search windows that wait to be indexed carry a label of their own, by which a search finds them meanwhile.
CREATE INDEX _new_window_owner IF NOT EXISTS FOR (w:_NewWindow) ON (w._domain, w._owner);
