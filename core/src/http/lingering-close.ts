import type { IncomingMessage } from 'node:http';

const maxLingerMs = 10_000;

/**
 * For a request that is answered before all of its body has come: the connection ends after the answer, but what the client
 * still sends is read and forgotten for a while. Closed at once, it would be reset, and the reset overtakes the answer.
 */
export function closeLingering({ socket }: IncomingMessage): void {
  if (typeof socket.destroySoon !== 'function') return;
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), maxLingerMs);
    socket.once('close', () => clearTimeout(timer)).once('end', () => socket.destroy());
    socket.end();
    socket.resume();
  };
}
