/** A compiled file of this plugin, also when the code that asks was bundled into another. */
export function compiledFile(path: string): URL {
  const here = import.meta.url;
  return new URL(path, here.slice(0, here.lastIndexOf('/dist/') + '/dist/'.length));
}
