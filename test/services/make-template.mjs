// One server of the engine in MORTISE_TEST_ENGINE is set up, started and stopped; what it left is kept for tests.
import { startServer } from '../support/server.mjs';
import { keepTemplate } from '../support/template.mjs';

const server = await startServer({ fresh: true });
// what every page has
await fetch(`${server.base}/user/login`);
await server.stop();
keepTemplate(process.env.MORTISE_TEST_ENGINE, server.env.MORTISE_WORK_DIR, server.env.MORTISE__database__NAME);
await server.close();
