import type { BackupSource } from '@mortise/plugin-sdk';
import type { GitBackup, GitStore } from '@mortise/git/api';

/** Every repository that was whole at the moment of the back-up, with its wiki. */
export function repositoryUnits(backup: GitBackup, store: GitStore): NonNullable<BackupSource['units']> {
  return {
    folder: backup.folder,
    otherFolders: backup.otherFolders,
    makeFolder: backup.makeFolder && ((name) => backup.makeFolder!(name)),
    beside: backup.beside,
    pointer: (path) => backup.pointer(path),
    isLeftOut: (path) => backup.isLeftOut(path),
    whileQuiesced: backup.whileQuiesced && ((work) => backup.whileQuiesced!(work)),
    async *list(rows) {
      for await (const [id, isReady] of rows.rows('repository', ['id', 'is_ready'])) {
        if (!Number(isReady)) continue;
        yield backup.unit(Number(id), 'code');
        if (await store.exists(Number(id), 'wiki')) yield backup.unit(Number(id), 'wiki');
      }
    },
  };
}
