/** Keeps Zod from compiling code, which the policy of the page forbids. Import this before modules with schemas. */

import { config } from "zod";

config({ jitless: true });
