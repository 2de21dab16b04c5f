import { Invalid } from '@mortise/plugin-sdk';
import { jsonRequest, type WebhookKind } from '@mortise/webhooks/api';
import { t } from './texts/index.js';

const service = 'https://packagist.org/api/update-package';

/** Own settings: `username`, `api_token`, `package_url`; by the API also the address of another registry. */
export const packagistKind: WebhookKind = {
  key: 'packagist',
  label: 'Packagist',
  icon: 'package',
  order: 110,
  signed: true,
  jsonOnly: true,
  settings: [
    { name: 'username', label: t.later('username') },
    { name: 'api_token', label: t.later('token'), type: 'password' },
    { name: 'package_url', label: t.later('package'), placeholder: 'https://packagist.org/packages/vendor/name' },
  ],
  address({ username, api_token: token }, given) {
    if (username && token) return `${service}?username=${encodeURIComponent(username)}`;
    if (given) return given;
    throw Invalid('config.username and config.api_token are required, or config.url', {
      text: t.later('needed'),
      inputs: { [username ? 'setting_api_token' : 'setting_username']: t.later('needed') },
    });
  },
  request(delivery) {
    const { username, api_token: token, package_url: packageUrl } = delivery.hook.settings;
    const { html_url: page } = (delivery.payload.repository ?? {}) as { html_url?: unknown };
    const url = packageUrl || (typeof page === 'string' ? page : '');
    if (!url) return undefined;
    const to = username && token ? { url: `${service}?${new URLSearchParams({ username, apiToken: token })}` } : {};
    return jsonRequest(delivery, { repository: { url } }, to);
  },
};
