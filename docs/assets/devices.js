// The families of devices that PyTorch runs on: which one a text tells, its messages in CUDA's
// words, and what stands for CUDA's names there. Twin of torchclinic/find/devices.py.

/** @import { Family } from "./types" */
/** @import { Pasted } from "./pasted.js" */

/**
 * The family of the device that a text tells; undefined for NVIDIA's GPUs, and where none is told.
 * @param {Family[]} families
 * @param {Pasted} pasted
 */
export const familyOf = (families, pasted) =>
  families.find(({ signs }) => signs.some((sign) => pasted.says(sign)));

/**
 * The text with what this family prints in the words of a build for CUDA, line by line.
 * @param {Family} family
 * @param {string} text
 */
export const inCudaWords = ({ prints }, text) =>
  prints.reduce((said, [own, cuda]) => said.replaceAll(own, cuda), text);

/**
 * [a name of CUDA's, the family's own] for each name that what is shown holds.
 * @param {Family[]} families
 * @param {string | undefined} device
 * @param {string} shown
 */
export function instead(families, device, shown) {
  const pairs = families.find(({ id }) => id === device)?.instead ?? [];
  return pairs.filter(([cuda]) => shown.includes(cuda));
}
