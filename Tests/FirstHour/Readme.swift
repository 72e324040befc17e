// README.md 1
print(listeners.isEmpty)
// prints hello
// prints true
