// The chart library, as it is served beside these files.
export { default } from 'uplot'
