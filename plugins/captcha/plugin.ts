import { database, definePlugin, fromPackage, defineService, outbound, site, Encryption } from '@mortise/plugin-sdk';
import { captchas } from '@mortise/sessions/api';
import { pictureRoutes } from './routes/picture.js';
import { imageCaptcha } from './services/image.js';
import { Questions } from './services/questions.js';
import { verifiedCaptcha, verifyingServices } from './services/verified.js';
import { providerSettings } from './settings.js';

const questions = defineService<Questions>('captcha.questions');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [questions],

  register(host) {
    const settings = host.settings('service', providerSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      questions,
      { database, site },
      (services) => new Questions(services.database, new Encryption(services.site.secret('captcha.questions'))),
    );
    host.contribute(captchas, { questions, site }, imageCaptcha);
    host.routes({ questions }, pictureRoutes);
    for (const service of verifyingServices(settings))
      host.contribute(captchas, { outbound }, verifiedCaptcha(service, host.log));
  },
});
