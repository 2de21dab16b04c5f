import type { Broker, Database, Logger } from '@mortise/plugin-sdk';

/** The broker as plugins have it: who hears of a change also finds what was committed with it. */
export function currentBroker(broker: Broker, database: Pick<Database, 'syncVersions'>, log: Logger): Broker {
  return {
    publish: (topic, message) => broker.publish(topic, message),
    subscribe(topic, handler) {
      let isEnded = false;
      const end = broker.subscribe(topic, (message) => {
        const catching = database.syncVersions();
        if (!catching) return handler(message);
        catching
          .then(() => (isEnded ? undefined : handler(message)))
          .catch((error: unknown) => log.error('a message handler failed', { event: 'broker.handler', topic, error }));
      });
      return () => {
        isEnded = true;
        end();
      };
    },
  };
}
