// Search windows that wait to be indexed have a separate label, by which a search finds them in the meantime.
CREATE INDEX _new_window_owner IF NOT EXISTS FOR (w:_NewWindow) ON (w._domain, w._owner);
