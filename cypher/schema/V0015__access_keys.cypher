// Keys of clients over HTTP are found by the hashes of their secrets. They belong to no domain and are in no log.
CREATE CONSTRAINT _access_key_hash IF NOT EXISTS FOR (k:_AccessKey) REQUIRE k._hash IS UNIQUE;
