import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port of this machine on which nothing listens, for a server that has to know its address before it starts. It lies
 * below the ports that systems hand out by themselves (from 32768), so that none of many parallel tests gets it by chance.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    const port = randomInt(20_000, 32_000);
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (free) return port;
    if (attempt > 100) throw new Error('no port is free');
  }
}
