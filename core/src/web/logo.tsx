import type { SiteBranding } from './site-branding.js';

/** A tenon on its way into its mortise: two pieces that hold without a nail. */
const pieces = [
  [
    '#a4561b',
    'M4.5 3H17a1.5 1.5 0 0 1 1.5 1.5V11h-7.7v10h7.7v6.500A1.500 1.500 0 0 1 17 29H4.500A1.500 1.500 0 0 1 3 27.500v-23A1.500 1.500 0 0 1 4.500 3Z',
  ],
  [
    '#e3a857',
    'M13.300 13h8.200V4.500A1.500 1.500 0 0 1 23 3h4.500A1.500 1.500 0 0 1 29 4.500v23a1.500 1.500 0 0 1-1.500 1.500H23a1.500 1.500 0 0 1-1.500-1.500V19h-8.200Z',
  ],
] as const;

export function Logo({ size = 28, look }: { size?: number; look: SiteBranding }) {
  // the name of the site stands beside it
  if (look.logo) return <img class="site-logo" src={look.logo.href} height={size} alt="" />;
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      {pieces.map(([color, path]) => (
        <path key={color} fill={color} d={path} />
      ))}
    </svg>
  );
}

/** The same drawing as a file of its own. */
export const logoFile = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${pieces.map(([color, path]) => `<path fill="${color}" d="${path}"/>`).join('')}</svg>`,
);
