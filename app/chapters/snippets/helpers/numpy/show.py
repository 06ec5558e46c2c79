def show(x):
    print(*(f"{value:.6f}" for value in np.ravel(x)[:6]))
