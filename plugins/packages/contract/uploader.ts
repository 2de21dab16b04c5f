import { AsyncLocalStorage } from 'node:async_hooks';

const uploader = new AsyncLocalStorage<string>();

/** Archives that `work` reads are read in the turn of this visitor, however deep in a format that is. */
export const withUploader = <T>(visitor: string, work: () => T): T => uploader.run(visitor, work);

/** Whose turn it is; what the site does by itself takes turns with visitors. */
export const currentUploader = (): string => uploader.getStore() ?? 'site';
