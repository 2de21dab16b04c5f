import { defineEvent } from '@mortise/plugin-sdk';

/** A job waits until somebody reviews its deployment; in the transaction of the change. */
export const deploymentWaiting = defineEvent<{ readonly deploymentId: number }>('actions.deploymentWaiting');
