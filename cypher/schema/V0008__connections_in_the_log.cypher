// Indexes for the events of connections by type and end, the last changes first. No other events have both a type
// and an end.
CREATE INDEX _event_from IF NOT EXISTS FOR (e:_Event) ON (e._domain, e._from, e._type, e._seq, e._subject);
CREATE INDEX _event_to IF NOT EXISTS FOR (e:_Event) ON (e._domain, e._to, e._type, e._seq, e._subject);
