/** The same without what is `undefined`: a field that was left out is not there, a setting that was left out not given. */
export function omitUndefined<Fields extends object>(fields: Fields): Fields {
  // Nothing is taken away but what may be left out: `undefined` is in the type of no other field.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
