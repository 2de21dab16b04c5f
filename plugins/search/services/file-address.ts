/** A path or the name of a branch as a part of an address. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
