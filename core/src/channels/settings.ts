import { Joi } from '@mortise/plugin-sdk';

export interface SocketSettings {
  PUBSUB_TYPE: 'memory' | 'redis';
  PUBSUB_CONN_STR: string;
  MAX_PER_ACCOUNT: number;
  MAX_PER_ADDRESS: number;
}

/** `[websocket]`: live messages to open pages. */
export const socketSettings = Joi.object<SocketSettings, true>({
  PUBSUB_TYPE: Joi.string()
    .valid('memory', 'redis')
    .default('memory')
    .description('How live messages reach the other processes: memory (those of this machine), or redis (all nodes)'),
  PUBSUB_CONN_STR: Joi.string()
    .allow('')
    .default('')
    .description(
      'Address of Redis, redis://:password@host:6379/0, or redis+sentinel://:password@sentinel:26379,sentinel:26379/0?mastername=mymaster; empty: that of [redis] CONN_STR',
    )
    .meta({ secret: true }),
  MAX_PER_ACCOUNT: Joi.number().integer().min(1).default(50).description('Connections of one account to one process'),
  MAX_PER_ADDRESS: Joi.number()
    .integer()
    .min(1)
    .default(500)
    .description('Connections from one address to one process'),
});
