import type { PackageRequest, PackageRoute } from '@mortise/packages/api';

export const nameOf = ({ params }: PackageRequest): string =>
  params.scope !== undefined ? `@${params.scope}/${params.name}` : (params.pkg ?? '');

/** `{pkg}` is `name`, `@scope%2fname` in one segment or `@scope/name` in two. */
export const both = (route: PackageRoute): PackageRoute[] => [
  { ...route, path: route.path.replace('{pkg}', '@{scope}/{name}') },
  route,
];
