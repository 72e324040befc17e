// The classes that a program declares: the compiler leaves a descriptor of each in its image, those of private and
// local classes and of actors too. What is in them is the ABI's affair; where they are, the runtime's.

#ifndef CMETADATASECTIONS_H
#define CMETADATASECTIONS_H

#include <stddef.h>

/// The descriptors of all classes that `modules` declare, generic ones included.
///
/// The modules' names are one after the other, each with its zero, and an empty one is the last. Returns how many classes
/// there are, of which the first `capacity` are written; -1 where the images do not tell.
ptrdiff_t cri_class_descriptors(const char *modules, const void **descriptors, size_t capacity);

/// The metadata of a class, which this makes if nobody has yet; NULL for a generic one, which has none of its own.
const void *cri_metadata_of_class(const void *descriptor);

/// The descriptor of a class with that metadata; NULL for one that Swift does not describe.
const void *cri_descriptor_of_class(const void *metadata);

/// The descriptor of a class's superclass; NULL if it has none, or one that Swift does not describe.
const void *cri_superclass_descriptor(const void *descriptor);

/// What is around a type or another context; NULL around a module.
const void *cri_parent_context(const void *descriptor);

/// The name of the module that a context is in; NULL if it is in none.
const char *cri_module_name(const void *descriptor);

/// A context's own name; NULL for one without, as are functions and extensions.
const char *cri_context_name(const void *descriptor);

#endif
