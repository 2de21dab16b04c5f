/** Folder with the kernel's compiled migrations. */
export const kernelMigrations = new URL('./', import.meta.url);
