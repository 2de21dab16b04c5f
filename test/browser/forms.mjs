// Forms as a whole: every option is turned to something else, saved, and read back.
import { expect } from '@hapi/code';

/** What a form shows: text by name, of check boxes whether they are ticked; secrets and files are never shown. */
export const fieldsOf = (form) =>
  form.evaluate((element) =>
    Object.fromEntries(
      [...element.elements]
        .filter((field) => field.name && !field.disabled)
        .filter(({ type }) => !['hidden', 'submit', 'file', 'password', 'fieldset'].includes(type))
        .filter((field) => field.type !== 'radio' || field.checked)
        .map((field) =>
          field.type !== 'checkbox'
            ? [field.name, field.value]
            : [/^(on|true)$/.test(field.value) ? field.name : `${field.name}=${field.value}`, field.checked],
        ),
    ),
  );

/** The one after `value` among `values`, and after the last the first. */
const nextOf = (values, value) => values[(values.indexOf(value) + 1) % values.length];

/** Gives every visible field of the form another value, or the given one; gives what the form shall hold when saved. */
async function turn(page, form, given) {
  await form.evaluate((element) => element.querySelectorAll('details').forEach((part) => (part.open = true)));
  const before = await fieldsOf(form);
  const hidden = {};
  for (const [key, value] of Object.entries(before)) {
    const [name, option] = key.split('=');
    const field = form.locator(`[name="${name}"]${option ? `[value="${option}"]` : ''}`);
    // what another choice of the form hides becomes what saving that choice makes of it
    if (!(await field.first().isVisible())) {
      if (key in given) hidden[key] = given[key];
      continue;
    }
    if (typeof value === 'boolean') {
      await field.setChecked(given[key] ?? !value);
      continue;
    }
    const { type, values } = await field.first().evaluate((element) => ({
      type: element.type,
      values: [...(element.options ?? element.form.querySelectorAll(`[name="${element.name}"]`))].map(
        (one) => one.value,
      ),
    }));
    const wanted =
      given[key] ??
      (type === 'number' ? String(Number(value) + 1) : /radio|select/.test(type) ? nextOf(values, value) : `${value}x`);
    if (type === 'radio') await form.locator(`[name="${name}"][value="${wanted}"]`).check();
    else if (type.startsWith('select')) await field.selectOption(wanted);
    else await field.fill(wanted);
  }
  return { ...(await fieldsOf(form)), ...hidden };
}

/**
 * Turns every option of the form at `path`, saves, opens the page again and finds what was chosen. `given` names values
 * that a field must have. Gives what is there then.
 */
export async function keeps(walk, path, selector, given = {}) {
  const form = walk.page.locator(selector).first();
  await walk.open(path);
  const wanted = await turn(walk.page, form, given);
  await walk.follow(`${selector} button[type=submit]:not([formnovalidate])`);
  expect(await walk.page.locator('.flash-error').allInnerTexts(), path).to.equal([]);
  await walk.open(path);
  expect(await fieldsOf(form), path).to.equal(wanted);
  return wanted;
}
