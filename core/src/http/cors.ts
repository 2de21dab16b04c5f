import type { CorsSettings } from './settings.js';

/** Which other origins may use the API from a browser (`[cors]`). */
export class CorsPolicy {
  private readonly domains: readonly string[];

  constructor(private readonly settings: Readonly<CorsSettings>) {
    this.domains = settings.ALLOW_DOMAIN.split(',')
      .map((word) => word.trim().toLowerCase())
      .filter(Boolean);
  }

  get enabled(): boolean {
    return this.settings.ENABLED;
  }

  private allows(origin: string): boolean {
    if (this.domains.includes('*') || this.domains.includes(origin.toLowerCase())) return true;
    try {
      const host = new URL(origin).hostname;
      return this.domains.some(
        (domain) => domain === host || (domain.startsWith('*.') && host.endsWith(domain.slice(1))),
      );
    } catch {
      return false;
    }
  }

  /** Headers for any answer to a request of that origin. */
  headers(origin: string | undefined): Record<string, string> | undefined {
    if (!this.settings.ENABLED || !origin || !this.allows(origin)) return undefined;
    const everyone = this.domains.includes('*') && !this.settings.ALLOW_CREDENTIALS;
    const headers: Record<string, string> = { 'access-control-allow-origin': everyone ? '*' : origin };
    if (!everyone) headers.vary = 'origin';
    if (this.settings.ALLOW_CREDENTIALS && !this.domains.includes('*'))
      headers['access-control-allow-credentials'] = 'true';
    return headers;
  }

  /** Further headers for the question before the request. */
  preflight(): Record<string, string> {
    return {
      'access-control-allow-methods': this.settings.METHODS,
      'access-control-allow-headers': `Authorization,${this.settings.HEADERS}`,
      'access-control-max-age': String(Math.floor(this.settings.MAX_AGE / 1000)),
    };
  }
}
