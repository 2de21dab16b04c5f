import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/** Does the client wait until it is told to send its body? */
export const awaitsContinue = (request: IncomingMessage): boolean => waiting.has(request);

/**
 * `Expect: 100-continue`: who asks before the body is sent is told to go on when somebody begins to read it, and so after all
 * checks. Else the answer comes at once, and the connection ends with it, since nobody knows whether the body follows.
 */
export function continueWhenRead(listener: Server): void {
  // hapi tells them before our checks
  listener.removeAllListeners('checkContinue');
  listener.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const { shouldKeepAlive } = response;
    const read = request._read.bind(request);
    waiting.add(request);
    response.shouldKeepAlive = false;
    request._read = (size) => {
      request._read = read;
      waiting.delete(request);
      if (!response.headersSent) {
        response.shouldKeepAlive = shouldKeepAlive;
        response.writeContinue();
      }
      read(size);
    };
    listener.emit('request', request, response);
  });
}
