/** What somebody has typed or ticked in one field, before it is read: the text of a box, or the values that are ticked. */
export type Draft = string | readonly string[];

/** What is typed into a question so far, by field. */
export type Drafts = { readonly [field: string]: Draft };
