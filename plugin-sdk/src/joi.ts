/** Joi for everything that Mortise is made of: `npm run build` makes one file of it (docs/decisions/0012). */
export { default as Joi } from 'joi';
