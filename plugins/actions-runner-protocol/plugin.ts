import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { runnerService, taskLogs } from '@mortise/actions/api';
import { protocolRoutes } from './routes/protocol.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    host.routes({ runnerService, taskLogs }, (services) => protocolRoutes({ ...services, log: host.log }));
  },
});
