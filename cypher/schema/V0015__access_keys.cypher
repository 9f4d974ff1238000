// Keys of clients over HTTP are found by the hashes of their secrets. Keys belong to no domain and are not in a log.
CREATE CONSTRAINT _access_key_hash IF NOT EXISTS FOR (k:_AccessKey) REQUIRE k._hash IS UNIQUE;
