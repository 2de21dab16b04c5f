// What the main process and its workers tell each other: exit codes, messages, and variables of their environment.

/** Exit codes of workers (as in sysexits.h). */
export const exitCodes = {
  /** A server that is needed is away; later it may be there. */
  away: 75,
  /** The settings or plugins are wrong; starting again would not help. */
  cannotStart: 78,
} as const;

/** Set for workers of a server that was well before: they wait for as long as it takes. */
export const waitingVariable = 'MORTISE_PATIENT_WORKER';

/** Sent to one worker once all of them listen. */
export const allReadyMessage = 'mortise: all workers listen';

/** Sent by a worker that answers requests. A port that one of its plugins opens while it starts says nothing of that. */
export const workerReadyMessage = 'mortise: this worker serves';

/** Sent by a worker where somebody asked for a restart: the others and itself are to be replaced. */
export const restartMessage = 'mortise: replace the workers';

/** Sent by a worker where plugins were changed: this node is to carry it out. */
export const applyMessage = 'mortise: carry out changes of plugins';

/** Set for workers: which node they belong to. */
export const nodeVariable = 'MORTISE_NODE';

/** Sent to a worker that another has replaced: it is to end without anybody noticing. */
export const retireMessage = 'mortise: another worker serves in your place';
