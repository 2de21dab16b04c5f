import { definePlugin } from '@mortise/plugin-sdk';
import { runnerService, taskLogs } from '@mortise/actions/api';
import { protocolRoutes } from './routes/protocol.js';

export default definePlugin({
  name: 'actions-runner-protocol',
  version: '1.0.0',
  description: 'The protocol that runners of Actions speak',
  sdk: '^1.0.0',
  requires: { actions: '^1.0.0' },

  register(host) {
    host.routes({ runnerService, taskLogs }, (services) => protocolRoutes({ ...services, log: host.log }));
  },
});
